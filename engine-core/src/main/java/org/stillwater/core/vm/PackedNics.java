package org.stillwater.core.vm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Interfaces of a guest as bytes, without loss. An interface is its name, its address, the number
 * of its IPv4 addresses and these, and the same for IPv6. A text is twice its length, plus one if
 * any character needs two bytes, and its characters. Numbers have seven bits in a byte, the lowest
 * first; the highest bit tells that more follow.
 */
final class PackedNics {

    private static final byte[] NOTHING = {};
    private static final int MORE = 0x80;
    private static final int BITS = 7;

    private byte[] bytes;
    private int at;

    private PackedNics(byte[] bytes) {
        this.bytes = bytes;
    }

    static byte[] pack(List<GuestNic> nics) {
        if (nics.isEmpty()) {
            return NOTHING;
        }
        PackedNics to = new PackedNics(new byte[128]);
        for (GuestNic nic : nics) {
            to.putText(nic.name());
            to.putText(nic.mac());
            to.putTexts(nic.ipv4());
            to.putTexts(nic.ipv6());
        }
        return Arrays.copyOf(to.bytes, to.at);
    }

    static List<GuestNic> unpack(byte[] packed) {
        PackedNics from = new PackedNics(packed);
        List<GuestNic> nics = new ArrayList<>();
        while (from.at < packed.length) {
            nics.add(new GuestNic(from.text(), from.text(), from.texts(), from.texts()));
        }
        return List.copyOf(nics);
    }

    private void putTexts(List<String> texts) {
        putNumber(texts.size());
        texts.forEach(this::putText);
    }

    private List<String> texts() {
        int count = number();
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(text());
        }
        return texts;
    }

    private void putText(String text) {
        boolean wide = text.chars().anyMatch(c -> c > 0xff);
        putNumber(2 * text.length() + (wide ? 1 : 0));
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
            if (wide) {
                put(text.charAt(i) >>> Byte.SIZE);
            }
        }
    }

    private String text() {
        int head = number();
        boolean wide = (head & 1) != 0;
        char[] text = new char[head / 2];
        for (int i = 0; i < text.length; i++) {
            int low = next();
            text[i] = (char) (wide ? low | (next() << Byte.SIZE) : low);
        }
        return new String(text);
    }

    private void putNumber(int number) {
        int rest = number;
        for (; rest >= MORE; rest >>>= BITS) {
            put(rest | MORE);
        }
        put(rest);
    }

    private int number() {
        int number = 0;
        for (int shift = 0; ; shift += BITS) {
            int octet = next();
            number |= (octet & (MORE - 1)) << shift;
            if (octet < MORE) {
                return number;
            }
        }
    }

    private void put(int octet) {
        if (at == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * at);
        }
        bytes[at++] = (byte) octet;
    }

    private int next() {
        return bytes[at++] & 0xff;
    }
}
