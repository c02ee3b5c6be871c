package org.stillwater.fake.net;

/** Takes the one answer to a call. Thread-safe; a second answer is ignored. */
public interface RpcReply {

    /**
     * Answers with a value.
     *
     * @param body the {@code result} member; {@link JsonBody#TRUE} for verbs without a value
     */
    void result(JsonBody body);

    /**
     * Answers with an error.
     *
     * @param code a code of VDSM wire protocol §2.4
     * @param message the text a real host would send
     */
    void error(int code, String message);
}
