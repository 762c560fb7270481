//! How a team works: rules, agents, skills and checklists in layers, and what of them fits a prompt or a file.
