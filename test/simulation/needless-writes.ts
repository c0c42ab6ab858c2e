// Writes whose loss breaks no promise, with the reason: nothing of what they keep was acknowledged to anybody.
export const needless: readonly { readonly place: RegExp; readonly why: string }[] = [
  { place: /: trim:/, why: 'retention is looked after again an hour later' },
  { place: /: drop reservation: .*dropEnded/, why: 'what is over is dropped again' },
  { place: /: ended:/, why: 'what became known since the end, which is durable' },
  {
    place: /: containersHeard: (ContainerEnds\.stopAll|MasterSessions\.forgetContainer < MasterSessions\.tellEnd|recoverContainer)/,
    why: 'nobody is to hear of them: the next start drops them',
  },
  {
    place: /^early: containersHeard: MasterSessions\.forgetContainer < #giveToNobody/,
    why: 'nobody waits for it: what is given instead is durable only after it',
  },
  {
    place: /: (opportunisticCounts|set opportunistic-totals):/,
    why: 'a counter, which nobody is answered with; tests of its own hold P15',
  },
  { place: /: live: #fail </, why: 'a restart without it begins another attempt too' },
];
