package org.stillwater.fake.world;

/** An error answer (§2.4). It is data on its way out of a verb, so it has no stack. */
final class VerbError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    VerbError(int code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    static VerbError internal(String reason) {
        return new VerbError(
                -32603, "Internal JSON-RPC error: {'reason': \"%s\"}".formatted(reason));
    }

    int code() {
        return code;
    }
}
