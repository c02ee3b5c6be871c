package org.stillwater.dal.embedded;

import java.nio.file.Path;

/** A program that starts the embedded server, says so and waits; tests kill it or let it close. */
final class OrphanMaker {

    private OrphanMaker() {}

    public static void main(String[] args) throws Exception {
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(Path.of(args[0])).withBinariesFolder(Path.of(args[1]));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings)) {
            System.out.println(postgres.pid() + " " + postgres.port() + " " + postgres.adopted());
            System.in.read();
        } catch (EmbeddedPostgresException e) {
            System.out.println(e.reason() + " " + e.getMessage());
        }
    }
}
