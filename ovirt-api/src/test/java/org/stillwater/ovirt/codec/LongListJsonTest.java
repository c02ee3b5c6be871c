package org.stillwater.ovirt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.ovirt.model.Actions;
import org.stillwater.ovirt.model.Link;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Reference;
import tools.jackson.core.exc.JacksonIOException;

/** A list in blocks has the bytes of the same list in one piece. */
class LongListJsonTest {

    /** Encodes some blocks ahead, the last one first. */
    private static final class Ahead implements BlockHelper {
        private int blocks;

        @Override
        public <B> boolean inOrder(int count, IntFunction<B> encode, Consumer<B> send) {
            blocks = count;
            for (int from = 0; from < count; from += 3) {
                List<B> some = new ArrayList<>();
                for (int i = Math.min(from + 3, count) - 1; i >= from; i--) {
                    some.addFirst(encode.apply(i));
                }
                some.forEach(send);
            }
            return true;
        }
    }

    private final Ahead helper = new Ahead();

    private static Listing<Object> listing(int count, @Nullable Integer size) {
        List<Object> items =
                IntStream.range(0, count)
                        .<Object>mapToObj(i ->
                                i % 2 == 0
                                        ? new Link("/vms/" + i + "/start", "start \"" + i + '"')
                                        : new Reference("" + i, "/vms/" + i, "\u00e4" + i))
                        .toList();
        return new Listing<>("vm", items, size);
    }

    private static String written(Codec codec, Listing<?> listing) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        codec.write(Format.JSON, "vms", listing, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 257, 271, 272, 273, 1_000})
    void aLongListHasTheSameBytes(int count) {
        for (Integer size : new Integer[] {null, 7_000}) {
            Listing<?> listing = listing(count, size);
            assertThat(written(new Codec(helper), listing))
                    .isEqualTo(written(new Codec(), listing));
            assertThat(helper.blocks).isEqualTo((count + 15) / 16);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255})
    void aShortListNeedsNoHelp(int count) {
        Listing<?> listing = listing(count, null);
        assertThat(written(new Codec(helper), listing)).isEqualTo(written(new Codec(), listing));
        assertThat(helper.blocks).isZero();
    }

    @Test
    void linksAreEncodedAtOnceOrEscaped() {
        assertThat(json(new Link("/vms/1/start", "start"), new Link("/vms/1/stop", "stop")))
                .isEqualTo(
                        "{\"link\":[{\"href\":\"/vms/1/start\",\"rel\":\"start\"},"
                                + "{\"href\":\"/vms/1/stop\",\"rel\":\"stop\"}]}");
        assertThat(json(new Link("/vms/1/start", "a \"b\""), new Link("/\u00e4", "\u20ac\\")))
                .isEqualTo(
                        "{\"link\":[{\"href\":\"/vms/1/start\",\"rel\":\"a \\\"b\\\"\"},"
                                + "{\"href\":\"/\u00e4\",\"rel\":\"\u20ac\\\\\"}]}");
        assertThat(json()).isEqualTo("{\"link\":[]}");
    }

    private static String json(Link... links) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Codec().write(Format.JSON, "actions", new Actions(List.of(links)), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aReaderThatWentAwayIsShown() {
        OutputStream gone =
                new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        throw new IOException("gone");
                    }
                };
        Listing<?> listing = listing(300, null);
        assertThatThrownBy(() -> new Codec(helper).write(Format.JSON, "vms", listing, gone))
                .isInstanceOf(JacksonIOException.class)
                .hasMessageContaining("gone");
    }
}
