// In place of undici in bundles: only the dispatcher that `src/api` uses. Its fetch, WebSocket, cache and mocks would
// take longer to load.
const Dispatcher = require("../node_modules/undici/lib/dispatcher/dispatcher.js");
Dispatcher.prototype.request = require("../node_modules/undici/lib/api/api-request.js");
exports.Agent = require("../node_modules/undici/lib/dispatcher/agent.js");
