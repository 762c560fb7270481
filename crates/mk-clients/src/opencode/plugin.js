// Written by Modekeeper; `modekeeper uninstall opencode` removes it.
// It asks Modekeeper about every tool call, and refuses where it gets no readable answer.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"

const PROGRAM = "@PROGRAM@"
const SHELL = "@SHELL@"
const PATIENCE_MS = @SECONDS@ * 1000
const FLOOR = "@FLOOR@"

// Whether its shell is our script; where that is gone, the default shell takes its place.
let configuredShell
const isWalled = () => SHELL !== null && configuredShell === SHELL && existsSync(SHELL)

function ask(event) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`Modekeeper could not decide (${why}). Run: modekeeper doctor opencode`))
    let child
    try {
      child = spawn(PROGRAM, ["hook", "opencode", ...(isWalled() ? ["--walled"] : [])], { stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      return fail(error.message)
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      fail("no answer in time")
    }, PATIENCE_MS)
    let text = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (part) => (text += part))
    child.on("error", (error) => {
      clearTimeout(timer)
      fail(error.message)
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code !== 0) return fail(`exit code ${code}`)
      try {
        const answer = JSON.parse(text)
        if (answer === null || typeof answer !== "object") return fail("no object")
        resolve(answer)
      } catch {
        fail("unreadable answer")
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

export const Modekeeper = async ({ client, directory }) => {
  const parents = new Map()
  const parentOf = async (sessionID) => {
    if (!parents.has(sessionID)) {
      const answer = await client.session.get({ path: { id: sessionID } })
      parents.set(sessionID, answer?.data?.parentID)
    }
    return parents.get(sessionID)
  }
  const event = async (name, sessionID, more) => ({
    event: name,
    sessionID,
    parentID: await parentOf(sessionID),
    cwd: directory,
    ...more,
  })
  return {
    // The settings deny under this key, so that a plugin that does not load leaves nothing open.
    config: async (config) => {
      configuredShell = config.shell
      for (const kind of ["edit", "bash"]) {
        const rules = config.permission?.[kind]
        if (rules && typeof rules === "object") {
          delete rules[FLOOR]
          if (Object.keys(rules).length === 0) config.permission[kind] = "allow"
        }
      }
    },
    "tool.execute.before": async (input, output) => {
      const more = { tool: input.tool, callID: input.callID, args: output.args }
      const answer = await ask(await event("tool.execute.before", input.sessionID, more))
      if (answer.deny !== undefined) throw new Error(String(answer.deny))
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input?.sessionID) return
      const answer = await ask(await event("system", input.sessionID, {})).catch(() => ({}))
      if (typeof answer.context === "string") output.system.push(answer.context)
    },
  }
}
