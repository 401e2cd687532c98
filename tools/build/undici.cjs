// Stands in for the entry of undici in the bundles: the whole entry costs 20 ms and 9 MB a start. The modules are no
// public names of undici; package-lock.json pins them, and test/package/bundled-undici.test.ts loads each.
const Dispatcher = require("undici/lib/dispatcher/dispatcher");

// As the entry does.
Dispatcher.prototype.connect = require("undici/lib/api/api-connect");
Dispatcher.prototype.request = require("undici/lib/api/api-request");

module.exports = {
  EnvHttpProxyAgent: require("undici/lib/dispatcher/env-http-proxy-agent"),
  Pool: require("undici/lib/dispatcher/pool"),
};
