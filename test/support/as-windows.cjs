// Preloaded: the program takes this machine for one with Windows, where plugins listen on a port.
Object.defineProperty(process, "platform", { value: "win32" });
