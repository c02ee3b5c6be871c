package org.stillwater.vdsm.stomp;

/**
 * The commands of STOMP 1.2 as they stand on the wire. A frame carries its command as text, because
 * a peer may send one that is not in this list and must be answered, not misread.
 */
public final class StompCommand {
    public static final String CONNECT = "CONNECT";
    public static final String CONNECTED = "CONNECTED";
    public static final String SUBSCRIBE = "SUBSCRIBE";
    public static final String UNSUBSCRIBE = "UNSUBSCRIBE";
    public static final String SEND = "SEND";
    public static final String MESSAGE = "MESSAGE";
    public static final String RECEIPT = "RECEIPT";
    public static final String ERROR = "ERROR";
    public static final String DISCONNECT = "DISCONNECT";
    public static final String ACK = "ACK";
    public static final String NACK = "NACK";
    public static final String BEGIN = "BEGIN";
    public static final String COMMIT = "COMMIT";
    public static final String ABORT = "ABORT";

    private StompCommand() {}
}
