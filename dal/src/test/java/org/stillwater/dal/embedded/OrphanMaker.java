package org.stillwater.dal.embedded;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program that starts the embedded server, prints that, and waits; tests kill it or let it close.
 */
final class OrphanMaker {

    static final String END_WHILE_STARTING = "end-while-starting";

    private OrphanMaker() {}

    public static void main(String[] args) throws Exception {
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(Path.of(args[0])).withBinariesFolder(Path.of(args[1]));
        if (args.length > 2 && args[2].equals(END_WHILE_STARTING)) {
            Thread.ofPlatform().daemon().start(() -> endOnce(Path.of(args[0], "engine.lock")));
        }
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings)) {
            System.out.println(postgres.pid() + " " + postgres.port() + " " + postgres.adopted());
            System.in.read();
        } catch (EmbeddedPostgresException e) {
            System.out.println(e.reason() + " " + e.getMessage());
        }
    }

    private static void endOnce(Path file) {
        while (!Files.exists(file)) {
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
        System.exit(0);
    }
}
