// A backend calls this for a pull request: `node previews.mts create 12` prints the address of its preview,
// `node previews.mts destroy 12` removes it with everything in it. Each preview has a project and a state of its own.
import { type ApplyOutcome, apply, type Context, openContext, status } from "terraform-provider-rnv";
import { settings } from "./settings.mts";

/** The manifest of a preview. */
const manifestOf = (pullRequest: number) => ({
  projects: {
    preview: {
      name: `Preview ${pullRequest}`,
      services: {
        site: {
          kind: "web",
          configuration: {
            repository: "https://git.example.com/shop/site",
            branch: `pull/${pullRequest}`,
          },
          variables: { PREVIEW: { value: String(pullRequest), sensitive: false } },
        },
      },
    },
  },
});

/** Makes the preview of a pull request, or brings it up to date; returns its address. */
export async function createPreview(pullRequest: number): Promise<string | undefined> {
  return withPreview(pullRequest, async (context) => {
    expectDone(await apply(context, { manifest: manifestOf(pullRequest) }));
    const running = await status(context, { address: "service.preview.site" });
    return running.status?.services[0]?.url;
  });
}

/** Deletes the preview of a pull request. A second call finds nothing to delete. */
export async function destroyPreview(pullRequest: number): Promise<void> {
  await withPreview(pullRequest, async (context) => {
    expectDone(await apply(context, { manifest: manifestOf(pullRequest), mode: "destroy" }));
  });
}

async function withPreview<T>(pullRequest: number, work: (context: Context) => Promise<T>): Promise<T> {
  const state = `previews/${pullRequest}.json`;
  const context = openContext({ ...settings(), cwd: process.cwd(), state });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

function expectDone({ exitCode, diagnostics }: ApplyOutcome): void {
  if (exitCode !== 0) throw new Error(diagnostics.map(({ summary }) => summary).join("; "));
}

const [verb, number] = process.argv.slice(2);
if (verb === "create") console.log(await createPreview(Number(number)));
if (verb === "destroy") await destroyPreview(Number(number));
