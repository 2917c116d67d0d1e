/** Begin a request; the function that is returned tells whether no other was begun since. What was asked before a change
 * may arrive after it. */
export function newest(): () => () => boolean {
  let begun = 0;
  return () => {
    const mine = ++begun;
    return () => mine === begun;
  };
}
