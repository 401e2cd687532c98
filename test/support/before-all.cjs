// Before the first test.
module.exports = () => require("./temp-folder.ts").ownTempFolder();
