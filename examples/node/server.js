"use strict";

const express = require("express");

const app = express();
app.disable("x-powered-by");

app.get("/", (request, response) => {
  response.json({
    message: process.env.GREETING || "Hello from Express",
    commit: process.env.SETPOINT_COMMIT || "unknown",
    node: process.version,
  });
});

const server = app.listen(Number(process.env.PORT || 8000), process.env.HOST || "127.0.0.1", () => {
  console.log(`Listening on port ${server.address().port}`);
});

process.on("SIGTERM", () => {
  console.log("Asked to stop: finishing what is open.");
  server.close(() => process.exit(0));
});
