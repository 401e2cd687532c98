import * as z from "zod";
import { id, page, text, timestamp } from "./common";

/** Fields of an environment record are not shown; see `gaps.ts`. */
export const environment = z.looseObject({});

export const project = z.looseObject({
  id,
  name: text,
  description: text.default(""),
  color: text.optional(),
  environments: z.array(environment).default([]),
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
});

export const projectAnswer = z.looseObject({ project });
export const projectsAnswer = z.looseObject({ projects: z.array(project), page: page.optional() });

export type Environment = z.infer<typeof environment>;
export type Project = z.infer<typeof project>;
