// Required before a program: its clock is an hour ahead of the service's.
const now = Date.now.bind(Date);

Date.now = () => now() + 3_600_000;
