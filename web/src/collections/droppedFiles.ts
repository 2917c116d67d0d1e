/** The files that were dropped or chosen, also in folders: what is hidden is left out. */
import type { Named } from "../store/uploadQueue";

/** The files of a drop, with those in its folders; a file in a folder has the folder in its name, as in a zip. */
export async function filesOf(dropped: DataTransfer): Promise<Named[]> {
  // both are gone when the event is over
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = [...dropped.files];
  const found: Named[] = [];
  const look = async (entry: FileSystemEntry, before: string): Promise<void> => {
    if (entry.name.startsWith(".")) return;
    const name = before + entry.name;
    if (isFile(entry)) {
      found.push({ name, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
    } else if (isFolder(entry)) {
      for (const inner of await entriesOf(entry)) await look(inner, `${name}-`);
    }
  };
  for (const entry of entries) await look(entry, "");
  // what is dropped by a program has no entries
  return entries.length ? found : files.map((file) => ({ name: file.name, file }));
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** All entries of a folder; the browser gives them in parts. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!some.length) return all;
    all.push(...some);
  }
}

/** The files that were chosen, also those of a folder. */
export function chosen(files: FileList): Named[] {
  return [...files].flatMap((file) => {
    const path = file.webkitRelativePath || file.name;
    const isHidden = path.split("/").some((part) => part.startsWith("."));
    return isHidden ? [] : [{ name: path.replaceAll("/", "-"), file }];
  });
}
