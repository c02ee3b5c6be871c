package org.stillwater.vdsm.jsonrpc;

/**
 * The id of a call: any JSON scalar but null. An engine uses random UUIDs; a host echoes it
 * unchanged, a number as a number.
 *
 * @param text the text, or the digits of the number
 * @param number true when it stood on the wire as a JSON number
 */
public record JsonRpcId(String text, boolean number) {
    /** An id that is a JSON string. */
    public static JsonRpcId of(String text) {
        return new JsonRpcId(text, false);
    }
}
