package org.stillwater.guest;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Destination of results.
 *
 * @param engine address of the engine, without a path
 * @param tokenFile file with the token
 * @param ca file with the CA of the engine's certificate, null for those of the JDK
 * @param schedule when runs begin, null for once and now
 */
record Posting(URI engine, Path tokenFile, @Nullable Path ca, @Nullable Schedule schedule) {}
