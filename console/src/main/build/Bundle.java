import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/*
 * Makes the console's static files: unpacks the libraries and the bundler from the class path,
 * bundles the worker, then the page with the worker's name in it, and writes index.html and a
 * compressed copy of each file. File names have the hash of their content.
 *
 * Also writes the types of the interface, of the document that describes it.
 *
 * Runs from source, java -cp CLASSPATH Bundle.java SOURCES TARGET OUTPUT DOCUMENT: it needs a JDK
 * and nothing else.
 */

static final String WEBJARS = "META-INF/resources/webjars/";
static final List<String> LIBRARIES = List.of("preact", "uplot");
/** A part that a script needs before it runs; import("…") is one that it may need later. */
static final Pattern IMPORT = Pattern.compile("(?:from|import)\\s*\"\\./([^\"]+\\.js)\"");

static final List<String> EXECUTABLES = List.of("bin/esbuild", "esbuild.exe");

void main(String[] args) throws Exception {
    Path sources = Path.of(args[0]).toAbsolutePath();
    Path target = Path.of(args[1]).toAbsolutePath();
    Path output = Path.of(args[2]).toAbsolutePath();
    Path modules = target.resolve("node_modules");
    Path files = output.resolve("console");
    ApiTypes.write(Path.of(args[3]), target.resolve("api").resolve("stillwater.d.ts"));
    delete(output);
    Files.createDirectories(files);
    Path bundler = unpack(modules, target.resolve("esbuild"));

    bundle(bundler, sources, modules, files, "worker/main.ts", "--entry-names=worker-[hash]");
    String worker = only(files, "worker-", ".js");
    bundle(
            bundler,
            sources,
            modules,
            files,
            "page/app.tsx",
            "--entry-names=app-[hash]",
            "--chunk-names=[name]-[hash]",
            "--splitting",
            "--jsx=automatic",
            "--jsx-import-source=preact",
            "--define:WORKER=\"./" + worker + "\"");
    bundle(bundler, sources, modules, files, "style.css", "--entry-names=style-[hash]");

    String script = only(files, "app-", ".js");
    Files.writeString(
            output.resolve("index.html"),
            Files.readString(sources.resolve("index.html"))
                    .replace("{style}", "console/" + only(files, "style-", ".css"))
                    .replace("{preload}", preload(files.resolve(script)))
                    .replace("{script}", "console/" + script));
    try (Stream<Path> made = Files.list(files)) {
        for (Path file : made.toList()) {
            compress(file);
        }
    }
}

/** Links to the immediate imports of the script, which the browser would otherwise find too late. */
String preload(Path script) throws IOException {
    StringBuilder links = new StringBuilder();
    Matcher imported = IMPORT.matcher(Files.readString(script));
    while (imported.find()) {
        links.append("<link rel=\"modulepreload\" href=\"console/").append(imported.group(1)).append("\">");
    }
    return links.toString();
}

/** Copies libraries to the bundler's folder; returns the bundler's program. */
Path unpack(Path modules, Path bundler) throws IOException {
    List<String> missing = new ArrayList<>(LIBRARIES);
    boolean known = false;
    for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
        if (!entry.endsWith(".jar")) {
            continue;
        }
        try (JarFile jar = new JarFile(entry)) {
            for (JarEntry each : jar.stream().toList()) {
                String name = each.getName();
                if (each.isDirectory()) {
                    continue;
                }
                if (EXECUTABLES.stream().anyMatch(name::endsWith)) {
                    copy(jar, each, bundler);
                    known = bundler.toFile().setExecutable(true);
                } else if (name.startsWith(WEBJARS)) {
                    String[] parts = name.substring(WEBJARS.length()).split("/", 3);
                    if (parts.length == 3 && LIBRARIES.contains(parts[0])) {
                        copy(jar, each, modules.resolve(parts[0]).resolve(parts[2]).normalize());
                        missing.remove(parts[0]);
                    }
                }
            }
        }
    }
    if (!known || !missing.isEmpty()) {
        throw new IOException("not on the class path: " + (known ? missing : "esbuild"));
    }
    return bundler;
}

void copy(JarFile jar, JarEntry entry, Path to) throws IOException {
    FileTime time = entry.getLastModifiedTime();
    if (Files.exists(to) && Files.size(to) == entry.getSize() && Files.getLastModifiedTime(to).equals(time)) {
        return;
    }
    Files.createDirectories(to.getParent());
    Files.copy(jar.getInputStream(entry), to, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(to, time);
}

void bundle(Path bundler, Path sources, Path modules, Path files, String entry, String... more)
        throws IOException, InterruptedException {
    List<String> command =
            new ArrayList<>(
                    List.of(
                            bundler.toString(),
                            entry,
                            "--bundle",
                            "--minify",
                            "--format=esm",
                            "--target=es2022",
                            "--charset=utf8",
                            "--legal-comments=none",
                            "--log-level=warning",
                            "--outdir=" + files));
    command.addAll(List.of(more));
    ProcessBuilder process = new ProcessBuilder(command).directory(sources.toFile()).inheritIO();
    process.environment().put("NODE_PATH", modules.toString());
    int status = process.start().waitFor();
    if (status != 0) {
        throw new IOException("esbuild ended with " + status + " for " + entry);
    }
}

String only(Path folder, String begin, String end) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
        return files.map(file -> file.getFileName().toString())
                .filter(name -> name.startsWith(begin) && name.endsWith(end))
                .findFirst()
                .orElseThrow(() -> new IOException("there is no " + begin + "*" + end));
    }
}

void compress(Path file) throws IOException {
    Path to = file.resolveSibling(file.getFileName() + ".gz");
    try (OutputStream out =
            new GZIPOutputStream(Files.newOutputStream(to)) {
                {
                    def.setLevel(Deflater.BEST_COMPRESSION);
                }
            }) {
        Files.copy(file, out);
    }
}

void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
        return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(each);
        }
    }
}
