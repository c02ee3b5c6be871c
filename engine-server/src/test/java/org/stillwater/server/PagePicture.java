package org.stillwater.server;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import javax.imageio.ImageIO;

/**
 * A picture of a page in cells of 64 × 64 pixels, each of its mean colour. Four other families of
 * fonts change up to 1.4 % of the cells, a missing chart or a narrower table 6 % and more, so that
 * one stored picture serves machines with other fonts, too. Immutable.
 */
final class PagePicture {

    /** Share of cells that may differ. */
    static final double TOLERANCE = 0.025;

    private static final int CELL_PIXELS = 64;

    /** Least difference of a colour's part, 0 to 255, that counts. */
    private static final int LEAST = 12;

    private final BufferedImage cells;

    private PagePicture(BufferedImage cells) {
        this.cells = cells;
    }

    /** Makes cells of a screenshot, a PNG. */
    static PagePicture of(byte[] screenshot) throws IOException {
        BufferedImage page = ImageIO.read(new ByteArrayInputStream(screenshot));
        int columns = page.getWidth() / CELL_PIXELS;
        int rows = page.getHeight() / CELL_PIXELS;
        BufferedImage cells = new BufferedImage(columns, rows, BufferedImage.TYPE_INT_RGB);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                cells.setRGB(column, row, mean(page, column * CELL_PIXELS, row * CELL_PIXELS));
            }
        }
        return new PagePicture(cells);
    }

    private static int mean(BufferedImage page, int left, int top) {
        int red = 0;
        int green = 0;
        int blue = 0;
        for (int rgb : page.getRGB(left, top, CELL_PIXELS, CELL_PIXELS, null, 0, CELL_PIXELS)) {
            red += part(rgb, 16);
            green += part(rgb, 8);
            blue += part(rgb, 0);
        }
        int pixels = CELL_PIXELS * CELL_PIXELS;
        return ((red / pixels) << 16) | ((green / pixels) << 8) | (blue / pixels);
    }

    private static int part(int rgb, int shift) {
        return (rgb >> shift) & 0xff;
    }

    /** Reads a stored picture, of one pixel for each cell. */
    static PagePicture read(Path file) throws IOException {
        return new PagePicture(
                Objects.requireNonNull(ImageIO.read(file.toFile()), () -> "no picture: " + file));
    }

    void write(Path file) throws IOException {
        if (!ImageIO.write(cells, "png", file.toFile())) {
            throw new IOException("no writer of PNG");
        }
    }

    /** Share of cells with another colour, 0 to 1; 1 for a picture of another size. */
    double difference(PagePicture other) {
        int columns = cells.getWidth();
        int rows = cells.getHeight();
        if (columns != other.cells.getWidth() || rows != other.cells.getHeight()) {
            return 1;
        }
        int different = 0;
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                int one = cells.getRGB(column, row);
                int two = other.cells.getRGB(column, row);
                different += isOther(one, two) ? 1 : 0;
            }
        }
        return (double) different / (columns * rows);
    }

    private static boolean isOther(int one, int two) {
        for (int shift = 0; shift <= 16; shift += 8) {
            if (Math.abs(part(one, shift) - part(two, shift)) > LEAST) {
                return true;
            }
        }
        return false;
    }
}
