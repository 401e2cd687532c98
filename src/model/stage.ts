/** The stage that a run is about. Of a stage with several instances, `id` names the instance. */
export interface StageName {
  readonly name: string;
  readonly id?: string;
}

/** Characters of a name or an id: both become parts of paths, of addresses and of names at the service. */
const longest = 64;

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Returns whether a text may name a stage, or an instance of one. */
export const isStageWord = (text: string): boolean => text.length <= longest && namePattern.test(text);

/** The characters of a name or an id of a stage, in words for a message. */
export const stageWordRule = `letters, digits, _ and -, at most ${longest} of them, the first a letter or a digit`;

/** Returns `preview/12`, or `staging` for a stage without instances. */
export const stageText = ({ name, id }: StageName): string => (id === undefined ? name : `${name}/${id}`);

/** Stands for the id of any instance, where a manifest is only checked. */
export const anyId = "ID";

/** Splits `preview/12` at its first slash; neither part is checked. */
export function splitStage(text: string): StageName {
  const slash = text.indexOf("/");
  return slash === -1 ? { name: text } : { name: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** Returns `text` with `${stage.name}` and `${stage.id}` filled in; a part that the stage does not have stays. */
export const fillStage = (text: string, { name, id }: StageName): string =>
  text.replace(stagePattern, (source, dollar: string, word: string) => {
    const value = word === "name" ? name : id;
    return dollar !== "" || value === undefined ? source : value;
  });

/** A dollar sign before it makes it literal. */
const stagePattern = /(\$?)\$\{ *stage\.(name|id) *\}/g;

export const isStageId = (source: string): boolean => fillStage(source, { name: source, id: "" }) === "";

export const mentionsStage = (text: string): boolean => text.includes("stage.") && text.includes("${");
