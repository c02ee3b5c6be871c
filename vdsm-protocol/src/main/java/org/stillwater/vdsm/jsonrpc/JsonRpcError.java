package org.stillwater.vdsm.jsonrpc;

/**
 * An error answer. Match on the code only: the text differs between VDSM versions and carries
 * context.
 *
 * @param code see {@code org.stillwater.vdsm.wire.ErrorCode}; unknown codes are kept as they are
 * @param message the host's text, empty when it sent none
 */
public record JsonRpcError(int code, String message) {}
