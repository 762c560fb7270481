import * as React from "react";

type Props = { title: string };

/** A button. */
export const Button: React.FC<Props> = ({ title }) => {
  const onClick = () => {};
  return <button onClick={onClick}>{title}</button>;
};

export default class Page extends React.Component<Props> {
  state = { open: false };

  render() {
    return <Button title="x" />;
  }
}

export function useToggle(initial = false) {
  return React.useState(initial);
}
