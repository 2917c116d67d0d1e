"use strict";

// Shows /openapi.json. All of it is put in as text: nothing of the description is ever read as HTML.

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function typeOf(schema, schemas) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const several = schema.anyOf || schema.oneOf;
  if (several) return several.map((one) => typeOf(one, schemas)).join(" | ");
  if (schema.type === "array") return `list of ${typeOf(schema.items, schemas) || "anything"}`;
  return schema.type || "anything";
}

function tableOf(schema, schemas) {
  const whole = schema && schema.$ref ? schemas[schema.$ref.split("/").pop()] : schema;
  const properties = Object.entries((whole && whole.properties) || {});
  if (!properties.length) return element("p", typeOf(schema, schemas));
  const required = new Set(whole.required || []);
  const head = element("tr", "", ...["name", "type", "default", "meaning"].map((one) => element("th", one)));
  const rows = properties.map(([name, one]) => {
    const preset = required.has(name) ? "required" : one.default === undefined ? "" : JSON.stringify(one.default);
    return element("tr", "", element("td", "", element("code", name)), element("td", typeOf(one, schemas)),
      element("td", preset), element("td", one.description || ""));
  });
  return element("table", "", element("thead", "", head), element("tbody", "", ...rows));
}

function curlOf(method, path, body) {
  const data = body === undefined ? "" : ` \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
  const verb = method === "GET" ? "" : ` -X ${method}`;
  return `curl${verb} ${location.origin}${path}${data}`;
}

function sectionOf(path, method, operation, schemas) {
  const name = `${method.toUpperCase()} ${path}`;
  const section = element("section", "", element("h2", "", element("code", name)), element("p", operation.summary || ""));
  section.id = `${method}-${path}`;
  const content = operation.requestBody && operation.requestBody.content;
  const [media, taken] = Object.entries(content || {})[0] || [];
  for (const one of operation.parameters || []) {
    section.append(element("p", `${one.in} ${one.name}: ${typeOf(one.schema, schemas)}. ${one.description || ""}`));
  }
  if (taken) section.append(element("h3", `Takes ${media}`), tableOf(taken.schema, schemas));
  const examples = Object.values((taken && taken.examples) || {});
  for (const one of examples.length ? examples : taken ? [] : [{ summary: "", value: undefined }]) {
    section.append(element("h3", one.summary || "As a command"), element("pre", curlOf(method.toUpperCase(), path, one.value)));
  }
  for (const [status, reply] of Object.entries(operation.responses || {})) {
    const details = element("details", "", element("summary", `${status}: ${reply.description || ""}`));
    for (const [form, one] of Object.entries(reply.content || {})) {
      const told = form === "application/problem+json" ? "" : tableOf(one.schema, schemas);
      details.append(element("p", form), told);
      for (const shown of Object.values(one.examples || {})) details.append(element("pre", JSON.stringify(shown.value, null, 2)));
    }
    details.open = status.startsWith("2");
    section.append(details);
  }
  return section;
}

async function show() {
  const about = document.getElementById("about");
  try {
    const reply = await fetch("/openapi.json");
    if (!reply.ok) throw new Error(`the server says ${reply.status}`);
    const described = await reply.json();
    const schemas = (described.components && described.components.schemas) || {};
    about.textContent = `${described.info.description || ""}\n\nVersion ${described.info.version}.`;
    for (const [path, methods] of Object.entries(described.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const section = sectionOf(path, method, operation, schemas);
        const link = element("a", `${method.toUpperCase()} ${path}`);
        link.href = `#${section.id}`;
        document.getElementById("contents").append(link);
        document.getElementById("routes").append(section);
      }
    }
  } catch (error) {
    about.textContent = `The description cannot be shown: ${error.message}. It is at /openapi.json.`;
  }
}

show();
