package org.stillwater.ovirt.resource;

import java.io.InputStream;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;

/**
 * A request as it arrives, free of any web framework.
 *
 * @param method of HTTP
 * @param path raw path, percent-encoded, with its matrix parameters
 * @param query raw query, null for none
 * @param header values of headers by name; null for one that does not exist
 * @param caller the origin of the request
 * @param body opens the body
 */
public record Call(
        String method,
        String path,
        @Nullable String query,
        Function<String, @Nullable String> header,
        Caller caller,
        Supplier<InputStream> body) {}
