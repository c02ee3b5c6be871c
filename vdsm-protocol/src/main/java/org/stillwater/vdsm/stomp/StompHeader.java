package org.stillwater.vdsm.stomp;

/** Names of the headers VDSM and its clients use, as on the wire. */
public final class StompHeader {
    public static final String ACCEPT_VERSION = "accept-version";
    public static final String VERSION = "version";
    public static final String HOST = "host";
    public static final String HEART_BEAT = "heart-beat";
    public static final String DESTINATION = "destination";
    public static final String ID = "id";
    public static final String ACK = "ack";
    public static final String REPLY_TO = "reply-to";
    public static final String SUBSCRIPTION = "subscription";
    public static final String CONTENT_TYPE = "content-type";
    public static final String CONTENT_LENGTH = "content-length";
    public static final String RECEIPT = "receipt";
    public static final String RECEIPT_ID = "receipt-id";
    public static final String MESSAGE = "message";

    /** Flow id that VDSM copies into its log. */
    public static final String CORRELATION_ID = "ovirtCorrelationId";

    private StompHeader() {}
}
