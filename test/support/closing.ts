interface Closing {
  close(): unknown;
}

/** Opened by the test that runs, and by blocks for all their tests. */
const [ofTest, ofFile]: readonly [Closing[], Closing[]] = [[], []];
let open = ofFile;

/** Closes a thing after the test that opens it; where no test does, after all tests of the file. */
export function closing<One extends Closing>(one: One): One {
  open.push(one);
  return one;
}

async function closeAll(things: Closing[]): Promise<void> {
  for (const one of things.splice(0).reverse()) await one.close();
}

// A program without Jest closes what it opens by itself.
globalThis.beforeEach?.(() => {
  open = ofTest;
});
globalThis.afterEach?.(async () => {
  open = ofFile;
  await closeAll(ofTest);
});
globalThis.afterAll?.(() => closeAll(ofFile));
