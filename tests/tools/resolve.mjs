// Lets a script that stands elsewhere import the packages beside this file.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      return next(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});
