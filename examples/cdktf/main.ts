import { App } from "cdktf";
import { ShopStack } from "./shop-stack";

const app = new App();
new ShopStack(app, "shop");
app.synth();
