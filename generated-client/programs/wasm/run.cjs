// Runs the program, which was compiled for Node, against a server.
require("./program/in_a_browser.js")
  .run(process.argv[2])
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
