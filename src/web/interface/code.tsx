// A text that programs read, which scrolls by the keyboard too.

export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section className="call" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}
