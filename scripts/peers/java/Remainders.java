import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Counts numbers by their remainder, over the network between tasks, and writes how many there were: `Remainders FILE NUMBERS`. */
public class Remainders {
  static class Counted extends RichMapFunction<Tuple2<Long, Long>, Tuple2<Long, Long>> {
    private final LongCounter all = new LongCounter();

    @Override
    public void open(Configuration settings) {
      getRuntimeContext().addAccumulator("all", all);
    }

    @Override
    public Tuple2<Long, Long> map(Tuple2<Long, Long> remainder) {
      all.add(1);
      return remainder;
    }
  }

  public static void main(String[] words) throws Exception {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment
        .fromSequence(1, Long.parseLong(words[1]))
        .map(number -> Tuple2.of(number % 7, 1L))
        .returns(Types.TUPLE(Types.LONG, Types.LONG))
        .keyBy(pair -> pair.f0)
        .reduce((one, other) -> Tuple2.of(one.f0, one.f1 + other.f1))
        .map(new Counted())
        .returns(Types.TUPLE(Types.LONG, Types.LONG))
        .sinkTo(new DiscardingSink<>());
    Long all = environment.execute("remainders").getAccumulatorResult("all");
    Files.writeString(Path.of(words[0]), "counted " + all + "\n");
  }
}
