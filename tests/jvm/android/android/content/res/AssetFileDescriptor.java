package android.content.res;

import java.io.Closeable;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;

/** What AndroidAssets.kt uses of Android's class. */
public final class AssetFileDescriptor implements Closeable {
  private final FileInputStream stream;
  private final long start;
  private final long length;

  AssetFileDescriptor(File file, long start) throws IOException {
    this.stream = new FileInputStream(file);
    this.start = start;
    this.length = file.length() - 2 * start;
  }

  public FileDescriptor getFileDescriptor() {
    try {
      return stream.getFD();
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  public long getStartOffset() {
    return start;
  }

  public long getDeclaredLength() {
    return length;
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
