package org.stillwater.ovirt.action;

import java.io.Serial;

/** A request that is not fulfilled: becomes a fault, inside an action if it was one. */
public final class Refused extends RuntimeException {

    @Serial private static final long serialVersionUID = 1;

    /** The reason that clients know for refusals of the engine itself. */
    private static final String FAILED = "Operation Failed";

    private static final int LONGEST = 200;

    private final int status;
    private final String reason;

    private Refused(int status, String reason, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.reason = reason;
    }

    /** 400: the request makes no sense. */
    public static Refused invalid(String detail) {
        return new Refused(400, "Invalid value", detail);
    }

    /** 400: something that is needed is not there. */
    static Refused incomplete(String detail) {
        return new Refused(400, "Incomplete parameters", detail);
    }

    /** 400: elements of the body cannot be kept; trying again does not help. */
    static Refused notKept(String sentence) {
        return new Refused(400, FAILED, "[" + sentence + "]");
    }

    /** 400: oVirt refuses it with this status, so that its clients do not repeat the request. */
    static Refused pointless(String sentence) {
        return new Refused(400, FAILED, "[" + sentence + "]");
    }

    /** 403: the caller may see it, but not do this. */
    static Refused forbidden() {
        return new Refused(403, FAILED, "You are not permitted to do this.");
    }

    /** 403: the caller may change it, but not so. */
    static Refused forbidden(String sentence) {
        return new Refused(403, FAILED, "[" + sentence + "]");
    }

    /** 404: there is nothing by this name, as far as the caller may know. */
    static Refused notFound(String what, String id) {
        return new Refused(404, FAILED, "Entity not found: " + what + ": id=" + shortened(id));
    }

    /** 404: no such path. */
    static Refused noPath() {
        return new Refused(404, FAILED, "This path does not exist.");
    }

    /** 405: the path is known, but does not take this method. */
    static Refused noMethod() {
        return new Refused(405, FAILED, "This cannot be done at this path.");
    }

    /**
     * 409: the present state does not allow it; the text has the form of validation that oVirt's
     * clients expect. Some of them repeat such a request until their time-out.
     */
    static Refused conflict(String sentence) {
        return new Refused(409, FAILED, "[" + sentence + "]");
    }

    /** 501: oVirt does it, this engine does not, and trying again does not help. */
    static Refused unsupported(String sentence) {
        return new Refused(501, FAILED, "[" + sentence + "]");
    }

    /** 413: the body is larger than a setting allows. */
    static Refused tooLarge(String sentence) {
        return new Refused(413, FAILED, sentence);
    }

    /** 429: too much is under way. */
    static Refused tooMuch(String sentence) {
        return new Refused(429, FAILED, sentence);
    }

    /** 503: the database does not answer, a key cannot be used, or the engine stops. */
    static Refused unavailable(String sentence) {
        return new Refused(503, FAILED, sentence);
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** A short constant. */
    public String reason() {
        return reason;
    }

    /** Description of the mistake, for people. */
    public String detail() {
        return String.valueOf(getMessage());
    }

    static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
