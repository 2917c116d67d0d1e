import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["node_modules", "src/api/schema.d.ts", "*.config.*"] },
    js.configs.recommended,
    tseslint.configs.strictTypeChecked,
    tseslint.configs.stylisticTypeChecked,
    {
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            // What documents and servers say becomes text nodes, and nothing else.
            "no-restricted-syntax": [
                "error",
                {
                    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
                    message: "Build nodes instead: documents are data.",
                },
                {
                    selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]",
                    message: "Build nodes instead: documents are data.",
                },
            ],
            "@typescript-eslint/non-nullable-type-assertion-style": "off", // its other half forbids what it asks for
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
            "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
        },
    },
);
