import "../styles/manage.css";
import "../styles/collections.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inWords } from "../api/client";
import { changeProblem, collections, collectionsProblem, loadCollections } from "../store/collections";
import { hashOf, view } from "../store/current";
import { loadJobs } from "../store/jobs";
import { isKeyWanted, me } from "../store/session";
import { SignIn } from "../ask/SignIn";
import { Icon } from "../parts/Icon";
import { words } from "../text/collections";
import { text } from "../text/en";
import { Detail } from "./Detail";
import { SettingsDialog } from "./SettingsDialog";

/** The collections of a person: a list, and the one that is looked after. */
export function CollectionsScreen() {
  const isNew = useSignal(false);
  useEffect(() => {
    changeProblem.value = null;
    void loadCollections();
    void loadJobs();
  }, [me.value?.name]);
  const all = collections.value;
  const problem = collectionsProblem.value;
  const name = view.value.kind === "collections" ? view.value.name : "";
  const current = all?.find((collection) => collection.name === name);
  return (
    <div class="manage collections" id="answers" tabIndex={-1}>
      <section class={`collection-list${name ? " with-current" : ""}`} aria-labelledby="collections-title">
        <header>
          <h1 id="collections-title">{words.title}</h1>
          <button type="button" class="button" onClick={() => (isNew.value = true)}>
            <Icon name="plus" /> {words.new}
          </button>
        </header>
        {isKeyWanted.value && <SignIn />}
        {problem && problem.status !== 401 && (
          <p class="box-note" role="alert">
            {inWords(problem, text.answer.notReached)}
          </p>
        )}
        {all && !all.length && <p class="quiet">{words.none}</p>}
        <ul>
          {all?.map((collection) => (
            <li key={collection.name}>
              <a
                href={hashOf({ kind: "collections", name: collection.name })}
                aria-current={collection.name === name ? "page" : undefined}
              >
                <span class="collection-name">{collection.name}</span>
                <span class="quiet">
                  {[
                    words.kinds[collection.kind],
                    words.documents(collection.documents),
                    collection.shared_with.length > 0 && words.shared(collection.shared_with.length),
                  ]
                    .filter(Boolean)
                    .join(", ")}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <div class="manage-main">
        {current ? (
          <Detail key={current.name} collection={current} />
        ) : (
          all && <p class="quiet">{name ? words.missing(name) : all.length ? words.choose : ""}</p>
        )}
      </div>
      <SettingsDialog isOpen={isNew} collection={null} />
    </div>
  );
}
