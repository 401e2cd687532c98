import { sameRepository, sameSet } from "../../../src/resources/attribute-values";

describe("repository equality", () => {
  const url = "https://git.example.com/Shop/api";

  it.each([
    `${url}/`,
    `${url}.git`,
    `${url}.git/`,
    "https://GIT.Example.com/Shop/api",
    "HTTPS://git.example.com/Shop/api",
  ])("takes %s for the same repository", (other) => {
    expect(sameRepository(url, other)).toBe(true);
  });

  it.each([
    "https://git.example.com/shop/api",
    "http://git.example.com/Shop/api",
    "https://git.example.com/Shop/api2",
    "https://git.example.com:8443/Shop/api",
    "https://git.example.org/Shop/api",
    "",
    null,
  ])("takes %s for another", (other) => {
    expect(sameRepository(url, other)).toBe(false);
  });

  it("compares the host of the short ssh form without case, and its path with it", () => {
    expect(sameRepository("git@Git.Example.com:shop/api.git", "git@git.example.com:shop/api")).toBe(true);
    expect(sameRepository("git@git.example.com:shop/api", "git@git.example.com:Shop/api")).toBe(false);
    expect(sameRepository("Git@git.example.com:shop/api", "git@git.example.com:shop/api")).toBe(false);
  });

  it("compares what is no address exactly", () => {
    expect(sameRepository("Shop/api", "shop/api")).toBe(false);
  });
});

describe("set equality", () => {
  it("ignores order and repetitions", () => {
    expect(sameSet(["a", "b"], ["b", "a", "a"])).toBe(true);
    expect(sameSet([], [])).toBe(true);
  });

  it("sees an item more and an item less", () => {
    expect(sameSet(["a"], ["a", "b"])).toBe(false);
    expect(sameSet(["a", "c"], ["a", "b"])).toBe(false);
    expect(sameSet([], "")).toBe(false);
  });
});
