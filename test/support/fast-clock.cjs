// Required before a program: its waits pass 20 times as fast, and so does the clock that they are measured with.
const timers = require("node:timers/promises");

const speed = 20;
const sleep = timers.setTimeout;
const elapsed = performance.now.bind(performance);

timers.setTimeout = (milliseconds, ...more) => sleep(milliseconds / speed, ...more);
performance.now = () => elapsed() * speed;
