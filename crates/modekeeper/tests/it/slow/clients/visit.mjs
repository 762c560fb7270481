// What a person's browser does at an issuer: follows where it is sent, and brings its cookies.
export async function visit(url, callback) {
  const cookies = new Map();
  let place = new URL(url);
  for (let steps = 0; steps < 20; steps++) {
    if (place.href.startsWith(callback)) return place.searchParams;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(place, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [pair] = set.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const next = answer.headers.get("location");
    if (!next) throw new Error(`${place}: ${answer.status} ${await answer.text()}`);
    place = new URL(next, place);
  }
  throw new Error("sent round in circles");
}
