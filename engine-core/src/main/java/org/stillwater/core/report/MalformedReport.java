package org.stillwater.core.report;

/** A host's message is not what the protocol says. It costs that message only. */
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
