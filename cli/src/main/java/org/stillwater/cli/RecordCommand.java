package org.stillwater.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./stillwater record --host HOST --out FILE}. */
@Command(
        name = "record",
        description = {
            "Records messages of hosts in a file for ./stillwater replay. Names, addresses and"
                    + " texts of guests are replaced by pseudonyms.",
            "Needs an administrator. Record both hosts of a migration together."
        })
final class RecordCommand implements Callable<Integer> {

    private static final String PATH = "/engine/host-recording";
    private static final Duration LOOK = Duration.ofSeconds(1);

    @Spec private @Nullable CommandSpec spec;

    @Mixin private Connection connection = new Connection();

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description = "A host by name or id; may be repeated.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--for",
            paramLabel = "SPAN",
            description = "Length of the recording, such as 5m (default: 60s).")
    private @Nullable String span;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description = "Where to write the recording.")
    private @Nullable Path out;

    @Option(
            names = "--stop",
            description = "Stops the recording that runs, and writes it; without --host.")
    private boolean stop;

    @Override
    public Integer call() {
        if (spec == null || out == null) {
            throw new IllegalStateException("not a command");
        }
        if (stop != hosts.isEmpty() || (stop && span != null)) {
            throw new ParameterException(
                    spec.commandLine(), "give --host, and --for if you like, or --stop");
        }
        CommandEnvironment here = CommandEnvironment.of(spec);
        Path part = partOf(spec, out);
        Engine engine = connection.engine();
        Json status = stop ? engine.post(PATH + "/stop", Json.object(Map.of())) : start(engine);
        while (status.get("state").text().equals("running")) {
            pause();
            status = engine.get(PATH);
        }
        if (!status.get("state").text().equals("stopped")) {
            throw new Trouble(Exit.REFUSED, "the recording was deleted before it was read");
        }
        try {
            try (OutputStream file = Files.newOutputStream(part)) {
                engine.download(PATH + "/file", file);
            }
            Files.move(part, out, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new Trouble(Exit.REFUSED, "cannot write " + out + ": " + Connection.why(e), e);
        }
        here.out()
                .println(
                        Texts.visible(
                                "Recorded %s, %s, of %s in %s. It ended by: %s."
                                        .formatted(
                                                Texts.counted(status.get("lines").text(), "line"),
                                                Texts.counted(status.get("bytes").text(), "byte"),
                                                String.join(
                                                        ", ",
                                                        status.get("hosts").list().stream()
                                                                .map(Json::text)
                                                                .toList()),
                                                out,
                                                status.get("ended").text())));
        return 0;
    }

    private Json start(Engine engine) {
        Map<String, Json> wish = new LinkedHashMap<>();
        wish.put("hosts", new Json.Array(hosts.stream().map(Json::of).toList()));
        if (span != null && spec != null) {
            Duration length;
            try {
                length = Texts.duration(span);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(
                        spec.commandLine(), "--for is a time span such as 5m, not " + span, e);
            }
            wish.put("seconds", new Json.Num(Long.toString(length.toSeconds())));
        }
        return engine.post(PATH, Json.object(wish));
    }

    /** A file that cannot be written is known before anything is recorded. */
    private static Path partOf(CommandSpec spec, Path out) {
        Path name = out.getFileName();
        if (name == null || name.toString().isEmpty() || Files.isDirectory(out)) {
            throw new ParameterException(
                    spec.commandLine(), "--out is the name of a file, not of a folder: " + out);
        }
        Path part = out.resolveSibling(name + ".part");
        try {
            Files.write(part, new byte[0]);
            Files.delete(part); // Ctrl-C during the recording leaves no empty file
            return part;
        } catch (IOException e) {
            throw new Trouble(Exit.REFUSED, "cannot write " + out + ": " + Connection.why(e), e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the program ends
            throw new Trouble(
                    Exit.REFUSED, "interrupted; the engine ends the recording by itself", e);
        }
    }
}
