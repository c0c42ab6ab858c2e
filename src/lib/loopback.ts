/** Whether an address, as a socket has it, is this machine's loopback (RFC 1122 3.2.1.3, RFC 4291 2.5.3). */
export const isLoopbackAddress = (address: string): boolean => address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address);
