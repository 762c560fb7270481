'use strict';

const MAX = 3;
let count = 0;
var old = require('old');

/**
 * A queue.
 */
class Queue extends Base {
  #items = [];
  static limit = 10;

  push(item) {
    const helper = function () {};
  }

  static *drain() {}
}

// Adds.
function add(a, b) {
  return a + b;
}

export const api = {
  get(path) {},
  post: async (path) => {},
  timeout: 5,
};

exports.send = function (message) {};
Queue.prototype.peek = function () {};
module.exports = { add };
export function* walk() {}
exports.limits = { most: 3 };
exports.send.retries = 3;
const { join, resolve: toAbsolute } = require("path");
