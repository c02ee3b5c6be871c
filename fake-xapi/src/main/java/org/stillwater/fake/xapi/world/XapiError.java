package org.stillwater.fake.xapi.world;

import java.util.List;

/** A call that XAPI refuses: an error code and its parameters. */
public final class XapiError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> description;

    public XapiError(String code, String... parameters) {
        super(code + List.of(parameters), null, false, false);
        this.description =
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of(code),
                                java.util.Arrays.stream(parameters))
                        .toList();
    }

    /** The code, then its parameters. */
    public List<String> description() {
        return description;
    }

    static XapiError handle(String type, String ref) {
        return new XapiError("HANDLE_INVALID", type, ref);
    }
}
