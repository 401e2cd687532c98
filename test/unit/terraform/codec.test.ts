import { ExtData, encode } from "@msgpack/msgpack";
import {
  DynamicValue,
  decodeState,
  decodeValue,
  encodeMessage,
  holdsUnknown,
  NumberText,
  type TerraformType,
  unknown,
} from "../../../src/terraform/codec";

const bytes = (value: unknown): Uint8Array => encode(value);
const encodeValue = (...[type, value]: Parameters<typeof encodeMessage>) =>
  encodeMessage(type, value).msgpack;

describe("values of the plugin protocol", () => {
  it("a number that JavaScript cannot hold is echoed digit by digit", () => {
    for (const text of ["123456789012345678901234567890", "3.14159265358979323846"]) {
      const value = decodeValue("number", bytes(text));
      expect(value).toBeInstanceOf(NumberText);
      expect(decodeValue("string", encodeValue("number", value))).toBe(text);
    }
  });

  it("a number is written as its shortest decimal text: Terraform reads its own state so, too", () => {
    expect(decodeValue("string", encodeValue("number", 1.1))).toBe("1.1");
    expect(encodeValue("number", 7)).toEqual(bytes("7"));
    expect(decodeValue("number", bytes(7))).toBe(7);
    expect(decodeValue("number", bytes("1.1"))).toBe(1.1);
  });

  it("any extension is an unknown value, refined or not", () => {
    expect(decodeValue("string", bytes(new ExtData(0, new Uint8Array([0]))))).toBe(unknown);
    expect(decodeValue("string", bytes(new ExtData(12, encode({ 1: false }))))).toBe(unknown);
    expect([...encodeValue("string", unknown)]).toEqual([0xd4, 0, 0]);
  });

  it("an object always has every attribute, and none that its type does not name", () => {
    const type: TerraformType = ["object", { a: "string", b: ["list", "string"] }];
    expect(decodeValue(["map", "string"], encodeValue(type, { a: "x", c: "dropped" }))).toEqual({
      a: "x",
      b: null,
    });
  });

  it("a dynamic value keeps the type that it came with", () => {
    const type: TerraformType = ["object", { x: "number" }];
    const value = new DynamicValue(type, { x: 1.5 });
    expect(decodeValue("dynamic", encodeValue("dynamic", value))).toEqual(value);
  });

  it("a stored value of any type keeps the keys of its user", () => {
    const stored = { type: ["object", { Api: "number", api_: "number", aB: "number" }] as TerraformType };
    const value = { Api: 1, api_: 2, aB: 3 };
    const state = decodeState("dynamic", Buffer.from(JSON.stringify({ ...stored, value })));
    expect(state).toEqual(new DynamicValue(stored.type, value));
  });

  it("null, empty and unknown are three things", () => {
    const type: TerraformType = ["object", { none: "string", empty: "string", later: "string" }];
    const value = decodeValue(type, encodeValue(type, { none: null, empty: "", later: unknown }));
    expect(value).toEqual({ none: null, empty: "", later: unknown });
    expect(holdsUnknown(value)).toBe(true);
    expect(decodeValue(type, new Uint8Array([0xc0]))).toBeNull();
  });
});
