package org.stillwater.core.report;

/** A host's message violates the protocol. Only that message is lost. */
public final class MalformedReport extends Exception {

    /** With one sentence for the operator, without the message's content. */
    public MalformedReport(String reason) {
        super(reason);
    }

    /** With one sentence for the operator and the parser's complaint. */
    public MalformedReport(String reason, Throwable cause) {
        super(reason, cause);
    }
}
