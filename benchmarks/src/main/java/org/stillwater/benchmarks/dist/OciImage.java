package org.stillwater.benchmarks.dist;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.json.JsonMapper;

/**
 * An image of the Open Container Initiative as a tar archive, made without a daemon and without a
 * registry: the layer of a base, which has a C library and a shell, and one of the engine above it.
 * {@code podman load}, {@code docker load} and {@code skopeo copy oci-archive:…} read it.
 * Stateless.
 */
final class OciImage {

    private static final String LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
    private static final String CONFIGURATION = "application/vnd.oci.image.config.v1+json";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private OciImage() {}

    /**
     * Description of an image.
     *
     * @param architecture as Go names it, such as {@code amd64}
     * @param name with its tag, such as {@code stillwater:1.0}
     * @param configuration members of {@code config}: user, entry point, …
     */
    record About(String architecture, String name, Map<String, Object> configuration) {}

    private record Blob(String type, String digest, long size) {

        Map<String, Object> descriptor() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("mediaType", type);
            members.put("digest", "sha256:" + digest);
            members.put("size", size);
            return members;
        }
    }

    /**
     * Writes one.
     *
     * @param layers compressed tar archives, the lowest first
     * @param time when it was made
     */
    static void write(About about, List<Path> layers, Instant time, Path file) throws IOException {
        PackageTree tree = new PackageTree();
        List<Map<String, Object>> descriptors = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        for (Path each : layers) {
            Blob blob;
            try (InputStream in = Files.newInputStream(each)) {
                blob = new Blob(LAYER, digest(in), Files.size(each));
            }
            try (InputStream in =
                    new GZIPInputStream(new BufferedInputStream(Files.newInputStream(each)))) {
                differences.add("sha256:" + digest(in));
            }
            tree.file("blobs/sha256/" + blob.digest(), PackageTree.FILE, each);
            descriptors.add(blob.descriptor());
        }
        Map<String, Object> image = new LinkedHashMap<>();
        image.put("created", time.toString());
        image.put("architecture", about.architecture());
        image.put("os", "linux");
        image.put("config", about.configuration());
        Map<String, Object> files = new LinkedHashMap<>();
        files.put("type", "layers");
        files.put("diff_ids", differences);
        image.put("rootfs", files);
        Blob configuration = json(tree, CONFIGURATION, image);
        Map<String, Object> manifest = new LinkedHashMap<>();
        manifest.put("schemaVersion", 2);
        manifest.put("mediaType", MANIFEST);
        manifest.put("config", configuration.descriptor());
        manifest.put("layers", descriptors);
        Map<String, Object> named = json(tree, MANIFEST, manifest).descriptor();
        Map<String, Object> annotations = new LinkedHashMap<>();
        annotations.put("io.containerd.image.name", "docker.io/library/" + about.name());
        annotations.put(
                "org.opencontainers.image.ref.name",
                about.name().substring(about.name().indexOf(':') + 1));
        named.put("annotations", annotations);
        Map<String, Object> index = new LinkedHashMap<>();
        index.put("schemaVersion", 2);
        index.put("mediaType", INDEX);
        index.put("manifests", List.of(named));
        tree.text("index.json", PackageTree.FILE, MAPPER.writeValueAsString(index));
        tree.text("oci-layout", PackageTree.FILE, "{\"imageLayoutVersion\":\"1.0.0\"}");
        Archives.tar(tree, "", time, file);
    }

    /**
     * Members keep their order, so that the bytes, and with them the digest, are always the same.
     */
    private static Blob json(PackageTree tree, String type, Map<String, Object> content)
            throws IOException {
        String text = MAPPER.writeValueAsString(content);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Blob blob = new Blob(type, digest(new ByteArrayInputStream(bytes)), bytes.length);
        tree.text("blobs/sha256/" + blob.digest(), PackageTree.FILE, text);
        return blob;
    }

    private static String digest(InputStream in) throws IOException {
        try (DigestInputStream reading =
                new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            byte[] buffer = new byte[64 * 1024];
            int some = reading.read(buffer);
            while (some >= 0) {
                some = reading.read(buffer);
            }
            return HexFormat.of().formatHex(reading.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
